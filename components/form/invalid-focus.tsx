"use client";

import { useEffect } from "react";

const INVALID = '[aria-invalid="true"]';

/**
 * After a form was submitted, the focus goes to its first field that is marked invalid, now or when the server's answer
 * marks one. Its message is its description, so a screen reader reads it out. Typing ends the wait, so that the focus
 * never moves under the cursor.
 */
export function InvalidFocus() {
  useEffect(() => {
    let form: HTMLFormElement | null = null;
    let frame = 0;
    const observer = new MutationObserver(() => look());
    const stop = () => {
      form = null;
      observer.disconnect();
      cancelAnimationFrame(frame);
    };
    const look = () => {
      cancelAnimationFrame(frame);
      // After the frame in which the marks of one answer are painted, so that the first of them is known.
      frame = requestAnimationFrame(() => {
        // What others have changed is to be chosen first; its list has the focus.
        if (form?.querySelector("[data-clash]")) return stop();
        // A field in a closed disclosure takes no focus.
        const fields = [...(form?.querySelectorAll<HTMLElement>(INVALID) ?? [])];
        const field = fields.find((one) => one.checkVisibility());
        if (!field) return;
        stop();
        focusField(field);
      });
    };
    const onSubmit = (event: Event) => {
      stop();
      if (!(event.target instanceof HTMLFormElement)) return;
      form = event.target;
      observer.observe(form, { subtree: true, childList: true, attributeFilter: ["aria-invalid"] });
      look();
    };
    const onInput = (event: Event) => {
      if (form && event.target instanceof Node && form.contains(event.target)) stop();
    };
    document.addEventListener("submit", onSubmit, { capture: true });
    document.addEventListener("input", onInput, { capture: true });
    return () => {
      stop();
      document.removeEventListener("submit", onSubmit, { capture: true });
      document.removeEventListener("input", onInput, { capture: true });
    };
  }, []);
  return null;
}

function focusField(field: HTMLElement): void {
  const isCalm = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  field.focus({ preventScroll: true });
  field.scrollIntoView({ block: "center", behavior: isCalm ? "auto" : "smooth" });
}
