"use client";

import { createElement, type ReactNode } from "react";
import type { ExternalToast } from "sonner";
import { later, useLater } from "./later";

// Both in one file, so that a message needs no more once the toaster is here.
const load = () => import("./sonner-toaster");

const toasterCode = later(() => load().then(({ SonnerToaster }) => SonnerToaster));

function withDirection(options: ExternalToast | undefined): ExternalToast | undefined {
  const description = options?.description;
  return typeof description === "string" ? { ...options, description: directed(description) } : options;
}

type Kind = "message" | "success" | "info" | "warning" | "error";

/** Names that people gave go in their own direction. */
const directed = (text: ReactNode) => (typeof text === "string" ? createElement("div", { dir: "auto" }, text) : text);

const show =
  (kind: Kind) =>
  (text: string, options?: ExternalToast): void => {
    toasterCode.start();
    load().then(
      ({ sonner }) => sonner[kind](directed(text), withDirection(options)),
      () => window.addEventListener("online", () => show(kind)(text, options), { once: true }),
    );
  };

/** Short messages over the page. The library comes after the page; a message that is earlier waits for it. */
export const toast = Object.assign(show("message"), {
  success: show("success"),
  info: show("info"),
  warning: show("warning"),
  error: show("error"),
});

/** Where toasts show. Their code is loaded as soon as the page works: a lost connection must be told too. */
export function Toaster() {
  const View = useLater(toasterCode, true);
  return View ? createElement(View) : null;
}
