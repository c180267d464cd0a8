import { findSessionActor } from "@/lib/auth/actor";
import { SESSION_COOKIE } from "@/lib/auth/session-token";
import { consoleDatabase } from "@/lib/console-database";
import { limited } from "@/lib/http/rate-limit";
import { cookieOf } from "@/lib/request/cookie";
import { failed } from "../session-context";

export const dynamic = "force-dynamic";

/** Who is signed in by this browser now, for pages that were opened before; null = nobody. */
export const GET = limited("global", "action", async (request) => {
  try {
    const actor = await findSessionActor(consoleDatabase().db, cookieOf(request, SESSION_COOKIE));
    const user = actor && { id: actor.id, name: actor.username };
    return Response.json({ user }, { headers: { "cache-control": "no-store" } });
  } catch (error) {
    return failed(request, error);
  }
});
