// The window's texts. A language is a folder next to `english` with the same type; components
// contain no text.

import { english } from "./english";

export type Words = typeof english;

export const words: Words = english;
