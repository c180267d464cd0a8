import type { ReactNode } from "react";

/** Tells Radix that a window has no description on purpose. */
export const withoutDescription = (description: ReactNode) => (description ? {} : { "aria-describedby": undefined });

/** The window itself takes the focus, not its close button, unless something in it has it: Tab goes on from there. */
export function focusWindow(event: Event): void {
  const opened = event.currentTarget;
  if (!(opened instanceof HTMLElement) || opened.contains(document.activeElement)) return;
  event.preventDefault();
  opened.focus();
}
