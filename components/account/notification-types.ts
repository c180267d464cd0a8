import type { ActionResult } from "@/lib/http/action";
import type { SaveTargetInput } from "@/lib/notify/schemas";

type Act<Input, Data = void> = (input: Input) => Promise<ActionResult<Data>>;

export type TargetActions = {
  saveTarget: Act<SaveTargetInput, { madeSecret: string | null }>;
  setTargetEnabled: Act<{ id: number; enabled: boolean }>;
  deleteTarget: Act<{ id: number }>;
  testTarget: Act<{ id: number }>;
  startBinding: Act<undefined, { image: string; expiresAt: number }>;
  checkBinding: Act<undefined, { state: "waiting" | "expired" | "bound" }>;
};
