// The panels, from top to bottom.

import { displayPanel } from "./display";
import { filterPanel } from "./filter";
import { gaitPanel } from "./gait";
import { jointPanel } from "./joint";
import { linkPanel } from "./link";
import type { Panel } from "./panel";
import { plotsPanel } from "./plots";
import { signalsPanel } from "./signals";

export const PANELS: Panel[] = [gaitPanel, signalsPanel, linkPanel, jointPanel, filterPanel, plotsPanel, displayPanel];
