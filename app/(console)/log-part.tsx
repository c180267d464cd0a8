import { LogMissing } from "@/components/log/log-missing";
import { type Missing, missingInAny, readAvailable } from "@/lib/log-store/read-available";

type LogPart<Result> = { result: Promise<Result>; missing: Promise<Missing | null> };

/** A part of a page with what the log has now, and what of it is missing. */
export function logPart<Result>(read: () => Promise<Result>): LogPart<Result> {
  const reading = readAvailable(read);
  return {
    result: reading.then(({ result }) => result),
    // An error is shown where the part is.
    missing: reading.then(({ missing }) => missing).catch(() => null),
  };
}

/** Says what is missing in any of the parts; waits for all of them. */
export async function MissingOf({ parts }: { parts: readonly LogPart<unknown>[] }) {
  return <LogMissing missing={missingInAny(await Promise.all(parts.map(({ missing }) => missing)))} />;
}
