// The English of the window, a file for each view.

import { article } from "./article";
import { notes } from "./notes";
import { bytes, count, percent, perSecond } from "./numbers";
import { problems } from "./problems";
import { prompt } from "./prompt";
import { search } from "./search";
import { settings } from "./settings";
import { shared } from "./shared";
import { shell } from "./shell";
import { sources } from "./sources";
import { triage } from "./triage";
import { answer } from "./answer";

const numbers = { bytes, count, percent, perSecond };

export const english = { answer, article, notes, numbers, problems, prompt, search, settings, shared, shell, sources, triage };
