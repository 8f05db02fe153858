// Somebody else's text on its way into a box. What a person types is their own; what they paste may be a customer's.

/** Tells before a text comes in that was not typed: pasted by key, menu or middle button, or dropped. */
export function foreign(told: () => void): (box: HTMLElement) => () => void {
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
