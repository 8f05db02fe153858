// What the window says. A language is a folder beside `english` that says all of it; no component has words of its own.

import { english } from "./english";

/** Everything that a language has to say. */
export type Words = typeof english;

export const words: Words = english;
