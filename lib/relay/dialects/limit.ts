import type { Json } from "../canonical/json";
import type { ChatRequest } from "../canonical/request";
import { InvalidRequest } from "../canonical/wire-error";

/** Something that a request cannot keep on its way to another dialect, and what becomes of it. */
export type Limit<T> = {
  /** In the words of the dialect that is read, or of canonical requests where a dialect is written. */
  field: string;
  note: string;
} & (
  | {
      becomes: "refused";
      /** Named to the caller as the field at fault. */
      param: string;
      applies(given: T): boolean;
    }
  | { becomes: "dropped" | "rewritten" }
);

export type Limits = {
  /** When a caller's request goes to another dialect. */
  caller: readonly Limit<Json>[];
  /** When a request of another dialect comes to an upstream. */
  upstream: readonly Limit<ChatRequest>[];
};

/** Throws InvalidRequest for the first limit that refuses this. */
export function refuseLimits<T>(limits: readonly Limit<T>[], given: T): void {
  for (const limit of limits) {
    if (limit.becomes !== "refused" || !limit.applies(given)) continue;
    throw new InvalidRequest(`${limit.field}: ${limit.note}`, limit.param);
  }
}

/** The limits as rows of a Markdown table. */
export function limitsTable<T>(limits: readonly Limit<T>[]): string {
  const rows = limits.map(({ field, becomes, note }) => `| ${field} | ${becomes} | ${note} |`);
  return ["| what | becomes | why |", "| --- | --- | --- |", ...rows].join("\n");
}
