/** Closes a dialog after a click outside it, as Esc does. */
export function closeOutside(dialog: HTMLDialogElement): void {
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
}
