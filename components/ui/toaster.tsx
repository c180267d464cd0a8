"use client";

import { useLater } from "./later";
import { toasterCode } from "./toast";

/** Where toasts show. Their code is loaded as soon as the page works: a lost connection must be told too. */
export function Toaster() {
  const View = useLater(toasterCode, true);
  return View ? <View /> : null;
}
