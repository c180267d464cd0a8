import type { ActionResult } from "@/lib/http/action";

export type AccountActions = {
  createAccessToken: (input: undefined) => Promise<ActionResult<string>>;
  updateSelf: (input: { password: string }) => Promise<ActionResult<void>>;
  deleteSelf: (input: { username: string }) => Promise<ActionResult<void>>;
};

export type BindEmail = (input: { email: string; code: string }) => Promise<ActionResult<void>>;
