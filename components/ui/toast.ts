import type { ExternalToast } from "sonner";
import { later } from "./later";

// Both in one file, so that a message needs no more once the toaster is here.
const load = () => import("./sonner-toaster");

export const toasterCode = later(() => load().then(({ SonnerToaster }) => SonnerToaster));

type Kind = "message" | "success" | "info" | "warning" | "error";

const show =
  (kind: Kind) =>
  (text: string, options?: ExternalToast): void => {
    toasterCode.start();
    load().then(
      ({ sonner }) => sonner[kind](text, options),
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
