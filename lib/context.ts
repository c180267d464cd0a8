import type { Database, Sql } from "../db/client";
import { AppError } from "./errors";

/** Roles (A114): 1 ordinary user, 10 administrator, 100 super administrator. */
export const ROLE = { user: 1, admin: 10, root: 100 } as const;

/** The browser session of the actor; `confirmedAt` is when the user last proved who they are (unix seconds). */
export type ActorSession = { id: string; confirmedAt: number };

/** On whose behalf the code runs. */
export type Actor =
  | {
      type: "user";
      id: number;
      username: string;
      role: number;
      group: string;
      via: "session" | "access-token";
      /** Absent for an access token. */
      session?: ActorSession;
      /** The call itself carried the user's password or a code. */
      proved?: true;
    }
  | { type: "job"; name: string }
  /** Who can run commands on this machine can read the database as well. */
  | { type: "command-line" }
  | { type: "anonymous" };

/** The first parameter of every query and command: database, actor and client address. */
export type ServiceContext = { db: Database; sql: Sql; actor: Actor; clientIp: string };

export type UserActor = Extract<Actor, { type: "user" }>;

/**
 * Returns the signed-in user if it has at least this role. Throws unauthenticated or forbidden. A job and
 * the command line pass every check as root.
 */
export function requireRole(ctx: ServiceContext, role: number): UserActor {
  const { actor } = ctx;
  if (actor.type === "job" || actor.type === "command-line") {
    const username = actor.type === "job" ? actor.name : "command line";
    return { type: "user", id: 0, username, role: ROLE.root, group: "", via: "access-token" };
  }
  if (actor.type === "anonymous") throw new AppError("unauthenticated", "notSignedIn");
  if (actor.role < role) throw new AppError("forbidden", "insufficientRights");
  return actor;
}
