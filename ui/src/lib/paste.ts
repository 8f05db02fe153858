// Detects pasted or dropped text, which may be a customer's.

/** Calls `told` before text is pasted or dropped, by key, menu or middle button. */
export function onPaste(told: () => void): (box: HTMLElement) => () => void {
  return (box) => {
    const onbeforeinput = (event: InputEvent) => {
      if (/^insertFrom(?:Paste|Drop|Yank)/.test(event.inputType)) told();
    };
    box.addEventListener("paste", told);
    box.addEventListener("drop", told);
    box.addEventListener("beforeinput", onbeforeinput);
    return () => {
      box.removeEventListener("paste", told);
      box.removeEventListener("drop", told);
      box.removeEventListener("beforeinput", onbeforeinput);
    };
  };
}
