// Light and dark: as the system has it, until the person chooses.

const KEY = "anthropi-theme";

/** Says whether it is dark now, at once and at each change; gives back the switch. */
export function startTheme(tell: (isDark: boolean) => void): () => void {
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  let chosen = remembered();
  const isDark = () => (chosen ?? (system.matches ? "dark" : "light")) === "dark";
  const show = () => {
    document.documentElement.dataset.theme = isDark() ? "dark" : "light";
    tell(isDark());
  };
  system.addEventListener("change", show);
  show();
  return () => {
    chosen = isDark() ? "light" : "dark";
    try {
      localStorage.setItem(KEY, chosen);
    } catch {
      // a browser that keeps nothing: the choice holds until the page is closed
    }
    show();
  };
}

function remembered(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}
