import type { SaveAlertInput } from "@/lib/alert/schemas";
import type { ActionResult } from "@/lib/http/action";

type Act<Input> = (input: Input) => Promise<ActionResult<void>>;

export type AlertActions = {
  saveAlert: Act<SaveAlertInput>;
  setAlertEnabled: Act<{ id: number; enabled: boolean }>;
  muteAlert: Act<{ id: number; seconds: number }>;
  deleteAlert: Act<{ id: number }>;
  testAlert: Act<{ id: number }>;
};
