// Reads code beside the page, so that no text can keep the window from answering.

import { tokens } from "./grammar";
import type { Token } from "./languages";

export interface Reading {
  text: string;
  language: string;
}

export type Read = Token[];

self.onmessage = ({ data }: MessageEvent<Reading>) => self.postMessage(tokens(data.text, data.language) satisfies Read);
