import { randomUUID } from "node:crypto";

export type Json = Record<string, unknown>;
export type StoredFile = { object: Json; content: Buffer };
/** What one key has. */
export type FakeAccount = {
  responses: Map<string, Json>;
  files: Map<string, StoredFile>;
  batches: Map<string, Json>;
};
export type StorageCall = {
  fault?: Fault | undefined;
  method: string;
  url: URL;
  key: string;
  body: Buffer;
  type: string;
  account: FakeAccount;
};
/** Undefined = another path. */
export type Answered = { status: number; json?: Json; events?: Json[]; bytes?: Buffer } | undefined;
/**
 * "quote": an error that repeats the key. "cut" and "half" break off in the middle, "half" with a content-length. "ends": what
 * runs in the background is done with its stream; "hangs": a stream that goes on without an end. "slow": the answer comes after 300 ms.
 */
export type Fault = number | "silent" | "cut" | "quote" | "half" | "ends" | "hangs" | "slow";

export const newId = (kind: string): string => `${kind}${randomUUID().replaceAll("-", "")}`;
export const failed = (status: number, message: string, param: string | null = null): Answered => ({
  status,
  json: { error: { message, type: "invalid_request_error", param, code: null } },
});
