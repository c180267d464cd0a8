import type { ReactNode } from "react";

/** Tells Radix that the missing description is intentional. */
export const withoutDescription = (description: ReactNode) => (description ? {} : { "aria-describedby": undefined });

/** Focuses the window instead of its close button, unless an element inside already has the focus. */
export function focusWindow(event: Event): void {
  const opened = event.currentTarget;
  if (!(opened instanceof HTMLElement) || opened.contains(document.activeElement)) return;
  event.preventDefault();
  opened.focus();
}
