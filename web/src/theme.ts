// Light and dark theme: that of the system until the user chooses.

const KEY = "anthropi-theme";

/** Calls `apply` now and at each change; returns the toggle. */
export function startTheme(apply: (isDark: boolean) => void): () => void {
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  let chosen = stored();
  const isDark = () => (chosen ?? (system.matches ? "dark" : "light")) === "dark";
  const show = () => {
    document.documentElement.dataset.theme = isDark() ? "dark" : "light";
    apply(isDark());
  };
  system.addEventListener("change", show);
  show();
  return () => {
    chosen = isDark() ? "light" : "dark";
    try {
      localStorage.setItem(KEY, chosen);
    } catch {
      // without storage the choice lasts until the page is closed
    }
    show();
  };
}

function stored(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}
