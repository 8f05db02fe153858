// Tokenizes code in a worker, so that no text can block the window.

import { tokenize, type Token } from "./tokenize";

export interface TokenizeRequest {
  text: string;
  language: string;
}

self.onmessage = ({ data }: MessageEvent<TokenizeRequest>) => self.postMessage(tokenize(data.text, data.language) satisfies Token[]);
