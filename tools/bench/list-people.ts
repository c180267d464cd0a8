import type { DatabaseHandle } from "@/db/client";
import type { ServiceContext, UserActor } from "@/lib/context";
import { sha256Hex } from "@/lib/crypto";
import { USER_STATUS } from "@/lib/row-status";

/** A call that is repeated with varying arguments; `turn` counts from 0. */
export type Case = { name: string; run: (turn: number) => Promise<unknown> };

export type Person = { ctx: ServiceContext & { actor: UserActor }; accessToken: string };

export type People = {
  root: Person;
  admin: Person;
  /** The user with most requests. */
  heavy: Person;
  /** The user with most tokens. */
  reseller: Person;
  /** A user with few requests. */
  light: Person;
  /** Usernames: the 20 users with most requests, and up to 20 with few. */
  names: string[];
};

type Row = { id: number; username: string; group: string };

/** The users that make the calls. Each gets an access token for calls of /api. */
export async function findPeople(database: DatabaseHandle): Promise<People> {
  const { sql } = database;
  const user = (id: number | undefined) =>
    sql<Row[]>`select id, username, "group" from users where id = ${id ?? 0}`.then(([row]) => row);
  const [root] = await sql<Row[]>`
    insert into users (username, role) values ('bench-root', 100)
    on conflict ((lower(username))) do update set role = 100 returning id, username, "group"`;
  const [admin] = await sql<Row[]>`select id, username, "group" from users where role = 10 order by id limit 1`;
  const ranked = await sql<Row[]>`select id, username, "group" from users order by request_count desc limit 20`;
  const few = await sql<Row[]>`
    select id, username, "group" from users where request_count between 1 and 20 and role = 1 order by id limit 20`;
  const [most] = await sql<{ id: number }[]>`
    select user_id as id from tokens group by user_id order by count(*) desc limit 1`;
  const person = (row: Row | undefined, role: number) => makePerson(database, row, role);
  return {
    root: await person(root, 100),
    admin: await person(admin, 10),
    heavy: await person(ranked[0], 1),
    reseller: await person(await user(most?.id), 1),
    light: await person(few[0], 1),
    names: [...ranked, ...few].map(({ username }) => username),
  };
}

async function makePerson({ sql, db }: DatabaseHandle, row: Row | undefined, role: number): Promise<Person> {
  if (!row) throw new Error("the database lacks a user that the cases need");
  const accessToken = `bench-${row.id}-0123456789abcdef`;
  await sql`
    update users set access_token_hash = ${sha256Hex(accessToken)}, role = ${role}, status = ${USER_STATUS.enabled} where id = ${row.id}`;
  const actor: UserActor = { type: "user", ...row, role, via: "session" };
  return { ctx: { db, sql, actor, clientIp: "198.51.100.1" }, accessToken };
}

/** The value for this turn; the values repeat in order. */
export function turnOf<Value>(values: readonly Value[], turn: number): Value {
  const value = values[turn % values.length];
  if (value === undefined) throw new Error("no values to choose from");
  return value;
}
