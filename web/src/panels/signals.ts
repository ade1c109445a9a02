// One button for each signal the scene waits for, such as releasing a hand.

import { displayName } from "../actions";
import { make } from "../dom";
import type { Panel } from "./panel";

export const signalsPanel: Panel = {
  id: "signals",
  title: "Signals",
  isOpen: true,
  isFor: (structure) => structure.signals.length > 0,
  build(studio) {
    const home = make("div", { class: "acts two" });
    const show = () => {
      const signals = studio.structure?.signals ?? [];
      home.replaceChildren(...signals.map((name) =>
        make("button", { type: "button", class: "act", onclick: () => void studio.apply({ do: "signal", name }) }, displayName(name))));
    };
    studio.on("opened", show);
    return home;
  },
};
