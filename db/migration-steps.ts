import { setTimeout as delay } from "node:timers/promises";
import type { ReservedSql } from "postgres";
import { createIndexConcurrently, parseCreateIndex } from "./concurrent-index";
import { type Migration, type Statement, withoutComments } from "./migration-files";
import { SQL_STATE, sqlStateOf } from "./sql-state";

export type StepSettings = {
  /** Everybody else queues behind a statement that waits for a strong lock, so it gives up after this time. */
  lockWaitMs: number;
  /** How long a step is tried again before the migration fails. */
  giveUpMs: number;
  tell: (message: string) => void;
  /** Who was in the way when it was last looked at. */
  blockers: () => string | null;
  /** Throws when this process no longer is the only one that migrates. */
  assertAlone: () => Promise<void>;
};

const PAUSE_MS_MIN = 250;
const PAUSE_MS_MAX = 10_000;
/** Between the batches of a repeated statement, so that others get their turn. */
const BATCH_PAUSE_MS = 20;

/** Statements that are applied together, and how many of the migration are done after them. */
type Step = { statements: Statement[]; until: number };

/** Applies one migration, from where a crash has interrupted it. A failed step is rolled back; those before it stay. */
export async function runSteps(session: ReservedSql, migration: Migration, settings: StepSettings): Promise<void> {
  const { when, hash, tag } = migration;
  const [unfinished] = await session<{ hash: string; statements: number }[]>`
    select hash, statements from drizzle.unfinished_migrations where created_at = ${when}`;
  if (unfinished && unfinished.hash !== hash) {
    throw new Error(`the migration ${tag} was changed after a part of it had been applied; restore its file`);
  }
  const done = unfinished?.statements ?? 0;
  const last = migration.statements.length;
  for (const step of stepsOf(migration.statements).filter(({ until }) => until > done)) {
    await settings.assertAlone();
    await runStep(session, migration, step, step.until === last, settings);
  }
  // A file without statements.
  if (last === 0) await session`insert into drizzle.__drizzle_migrations (hash, created_at) values (${hash}, ${when})`;
}

function stepsOf(statements: Statement[]): Step[] {
  const steps: Step[] = [];
  statements.forEach((statement, index) => {
    const before = steps.at(-1);
    if (before && statement.kind === "ordinary" && before.statements[0]?.kind === "ordinary") {
      before.statements.push(statement);
      before.until = index + 1;
    } else steps.push({ statements: [statement], until: index + 1 });
  });
  return steps;
}

async function runStep(
  session: ReservedSql,
  migration: Migration,
  { statements, until }: Step,
  isLast: boolean,
  settings: StepSettings,
): Promise<void> {
  const note = () => noteProgress(session, migration, until, isLast);
  const run = (change: () => Promise<number>) => briefly(session, migration.tag, change, settings);
  const [first] = statements;
  if (first?.kind === "concurrent") {
    await runConcurrently(session, first.text, (text) =>
      run(async () => (await session.unsafe(text)).count).then(() => {}),
    );
    await run(note);
  } else if (first?.kind === "repeated") {
    while ((await run(async () => (await session.unsafe(first.text)).count)) > 0) await delay(BATCH_PAUSE_MS);
    await run(note);
  } else {
    await run(async () => {
      for (const { text } of statements) await session.unsafe(text);
      return note();
    });
  }
}

async function runConcurrently(
  session: ReservedSql,
  text: string,
  brief: (text: string) => Promise<void>,
): Promise<void> {
  // These wait without blocking anybody.
  await session`set lock_timeout = 0`;
  const index = parseCreateIndex(withoutComments(text));
  if (index) await createIndexConcurrently(session, index, brief);
  else await session.unsafe(text);
}

async function noteProgress(
  session: ReservedSql,
  { hash, when }: Migration,
  until: number,
  isLast: boolean,
): Promise<number> {
  if (isLast) {
    await session`delete from drizzle.unfinished_migrations where created_at = ${when}`;
    await session`insert into drizzle.__drizzle_migrations (hash, created_at) values (${hash}, ${when})`;
  } else {
    await session`
      insert into drizzle.unfinished_migrations (created_at, hash, statements) values (${when}, ${hash}, ${until})
      on conflict (created_at) do update set statements = excluded.statements`;
  }
  return 0;
}

/** One transaction that gives up early where it has to wait for a lock, and is tried again after a pause. */
async function briefly(
  session: ReservedSql,
  tag: string,
  change: () => Promise<number>,
  { lockWaitMs, giveUpMs, tell, blockers }: StepSettings,
): Promise<number> {
  const startedAt = Date.now();
  for (let pauseMs = PAUSE_MS_MIN; ; pauseMs = Math.min(2 * pauseMs, PAUSE_MS_MAX)) {
    try {
      return await inTransaction(session, lockWaitMs, change);
    } catch (error) {
      const state = sqlStateOf(error);
      if (state !== SQL_STATE.lockNotAvailable && state !== SQL_STATE.deadlock) throw error;
      const by = blockers() ?? "another transaction";
      if (Date.now() - startedAt + pauseMs > giveUpMs) {
        throw new Error(`the migration ${tag} got no lock in ${giveUpMs / 1000} s; it waited for ${by}`, {
          cause: error,
        });
      }
      tell(`the migration ${tag} waits for ${by}; tried again in ${pauseMs / 1000} s`);
      await delay(pauseMs);
    }
  }
}

async function inTransaction(session: ReservedSql, lockWaitMs: number, change: () => Promise<number>): Promise<number> {
  await session`begin`;
  try {
    await session`select set_config('lock_timeout', ${`${lockWaitMs}ms`}, true)`;
    const result = await change();
    await session`commit`;
    return result;
  } catch (error) {
    // A connection that is gone has rolled back by itself; the first error says more.
    await session`rollback`.catch(() => {});
    throw error;
  }
}
