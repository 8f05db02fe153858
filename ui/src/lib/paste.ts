// Detects pasted or dropped text, which may be a customer's.

/** Calls `callback` before text is pasted or dropped, by key, menu or middle button. */
export function onPaste(callback: () => void): (box: HTMLElement) => () => void {
  return (box) => {
    const onbeforeinput = (event: InputEvent) => {
      if (/^insertFrom(?:Paste|Drop|Yank)/.test(event.inputType)) callback();
    };
    box.addEventListener("paste", callback);
    box.addEventListener("drop", callback);
    box.addEventListener("beforeinput", onbeforeinput);
    return () => {
      box.removeEventListener("paste", callback);
      box.removeEventListener("drop", callback);
      box.removeEventListener("beforeinput", onbeforeinput);
    };
  };
}
