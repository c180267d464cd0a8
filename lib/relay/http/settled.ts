import type { Settlement } from "@/lib/billing/settle";
import type { Report } from "../answers/answer";
import type { Attempt } from "./attempts";

/** What was booked of a request, and how it was answered. */
export type Settled = {
  settlement: Settlement;
  delivery: {
    outcome: string;
    attempts: Attempt[] | null;
    /** Absent or null = there was no answer to report of. */
    report?: Report | null;
  };
};
