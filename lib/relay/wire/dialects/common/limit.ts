import type { Json } from "../../canonical/json";
import type { ChatRequest } from "../../canonical/request";
import { InvalidRequest } from "../../canonical/wire-error";

/** A part of a request that cannot be translated to another dialect, and what happens to it. */
export type Limit<T> = {
  /** Named as in the source dialect (`caller` limits) or as in the canonical request (`upstream` limits). */
  field: string;
  note: string;
} & (
  | {
      becomes: "refused";
      /** The field named in the error. */
      param: string;
      applies(given: T): boolean;
    }
  | { becomes: "dropped" | "rewritten" }
);

export type Limits = {
  /** For a client's request that is translated to another dialect. */
  caller: readonly Limit<Json>[];
  /** For a request of another dialect that is translated to this upstream. */
  upstream: readonly Limit<ChatRequest>[];
};

/** Throws InvalidRequest for the first limit that refuses the request. */
export function refuseLimits<T>(limits: readonly Limit<T>[], given: T): void {
  for (const limit of limits) {
    if (limit.becomes !== "refused" || !limit.applies(given)) continue;
    throw new InvalidRequest(`${limit.field}: ${limit.note}`, limit.param);
  }
}

export function limitsTable<T>(limits: readonly Limit<T>[]): string {
  const rows = limits.map(({ field, becomes, note }) => `| ${field} | ${becomes} | ${note} |`);
  return ["| what | becomes | why |", "| --- | --- | --- |", ...rows].join("\n");
}
