import { findSessionActor } from "@/lib/auth/actor";
import { SESSION_COOKIE } from "@/lib/auth/session-token";
import { nowSeconds } from "@/lib/clock";
import { limited } from "@/lib/http/rate-limit";
import { readAvailable } from "@/lib/log-store/read-available";
import { cookieOf } from "@/lib/request/cookie";
import { listLogsSince } from "@/lib/usage-log/batch-queries";
import { TAIL_ROWS_MAX, tailLogs } from "@/lib/usage-log/tail";
import { failed, sessionContext } from "../../session-context";
import { timeZoneOf } from "../../time-zone";
import { loadLogFilters, toLogSearch } from "../search-params";

export const dynamic = "force-dynamic";

/** Streams new log rows that match the filters in the URL as server-sent events. */
export const GET = limited("global", "action", async (request) => {
  try {
    const ctx = await sessionContext(request);
    const { id, role } = ctx.actor;
    const { searchParams } = new URL(request.url);
    const search = toLogSearch(loadLogFilters(searchParams), { start: 0, end: 0 }, timeZoneOf(request));
    const body = tailLogs({
      userId: id,
      since: sinceOf(request.headers.get("last-event-id") ?? searchParams.get("since")),
      now: nowSeconds,
      // What is new has not left PostgreSQL while the log store is away.
      read: async (since) => (await readAvailable(() => listLogsSince(ctx, search, since, TAIL_ROWS_MAX))).result,
      // Compares the role too: a demoted administrator must not go on reading everybody's rows.
      mayGoOn: async () => (await findSessionActor(ctx.db, cookieOf(request, SESSION_COOKIE)))?.role === role,
    });
    return new Response(body, {
      headers: {
        "content-type": "text/event-stream; charset=utf-8",
        "cache-control": "no-store, no-transform",
        "content-encoding": "identity",
        "x-accel-buffering": "no",
      },
    });
  } catch (error) {
    return failed(request, error);
  }
});

function sinceOf(text: string | null): number {
  return text !== null && /^\d{1,12}$/.test(text) ? Number(text) : nowSeconds();
}
