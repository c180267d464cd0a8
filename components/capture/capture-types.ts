import type { ActionResult } from "@/lib/http/action";

type Act<Input> = (input: Input) => Promise<ActionResult<void>>;

export type CaptureActions = {
  setKeyCapture: Act<{ tokenId: number; seconds: number }>;
  deleteCapture: Act<{ id: number }>;
  deleteCaptures: Act<undefined>;
};
