import type { UsageLog } from "@/lib/usage-log/columns";

/** A row's place in the log, for the URL. With its time it is found by the primary key. */
export const peekKey = ({ createdAt, id }: Pick<UsageLog, "createdAt" | "id">): string => `${createdAt}-${id}`;

/** Null for a text that is no place. */
export function readPeekKey(text: string | null): { createdAt: number; id: number } | null {
  const [, createdAt, id] = /^(\d{1,11})-(\d{1,15})$/.exec(text ?? "") ?? [];
  return createdAt === undefined || id === undefined ? null : { createdAt: Number(createdAt), id: Number(id) };
}
