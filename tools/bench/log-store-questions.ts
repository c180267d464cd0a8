import type { ServiceContext } from "@/lib/context";
import { createLogStore } from "@/lib/log-store/clickhouse/client";
import { parseLogStoreUrl } from "@/lib/log-store/config";
import { countByTime } from "@/lib/usage-log/bar-queries";
import { readLogs } from "@/lib/usage-log/batch-queries";
import { listFailureGroups } from "@/lib/usage-log/failure-queries";
import { listLoggedModels, listLogs } from "@/lib/usage-log/queries";
import type { LogSearch } from "@/lib/usage-log/schemas";
import { searchLogs } from "@/lib/usage-log/search-queries";
import { sumLogs } from "@/lib/usage-log/sum-queries";
import { seeded } from "@/tests/operations/log-store-rows";

/** `ask` asks the question of a number: others for other numbers. */
export type LogQuestion = { name: string; ask: (ctx: ServiceContext, number: number) => Promise<unknown> };

/** What is in the log, to ask for. Users are sorted from the most to the least frequent. */
export type LogSample = {
  from: number;
  until: number;
  users: { id: number; username: string }[];
  requests: string[];
  models: string[];
  tokens: string[];
};

const DAY = 86_400;
const CHANNELS = 100;

export async function readLogSample(url: string): Promise<LogSample> {
  const store = createLogStore(parseLogStoreUrl(url));
  const settings = { timeoutMs: 600_000 };
  try {
    const [bounds] = await store.query<{ first: string; last: string }>(
      "select min(created_at) as first, max(created_at) as last from usage_logs",
      settings,
    );
    const users = await store.query<{ id: string; name: string }>(
      "select user_id as id, any(username) as name from usage_logs group by user_id order by count() desc",
      settings,
    );
    const requests = await store.query<{ request: string }>(
      "select toString(request_uuid) as request from usage_logs where cityHash64(id) % 200000 = 1",
      settings,
    );
    const named = (column: string) =>
      store.query<{ name: string }>(`select distinct ${column} as name from usage_logs order by name`, settings);
    return {
      from: Number(bounds?.first),
      until: Number(bounds?.last),
      users: users.map(({ id, name }) => ({ id: Number(id), username: name })),
      requests: requests.map(({ request }) => request),
      models: (await named("model_name")).map(({ name }) => name),
      tokens: (await named("token_name")).map(({ name }) => name),
    };
  } finally {
    await store.end();
  }
}

/** The same numbers ask the same in every run. */
export function logQuestions(sample: LogSample): LogQuestion[] {
  return [...pages(sample), ...byWhom(sample), ...byKind(sample), ...others(sample), ...ofUsers(sample)];
}

const list = (name: string, search: (number: number) => LogSearch): LogQuestion => ({
  name,
  ask: (ctx, number) => listLogs(ctx, search(number)),
});
const draw = (number: number, of: number): number => {
  const next = seeded(number * 7_919 + of);
  next();
  return Math.floor(next() * of);
};
const oneOf = <Item>(items: readonly Item[], number: number) => items[draw(number, items.length)] as Item;
const anyEnd = ({ from, until }: LogSample, number: number) => until - draw(number, until - from - 4 * DAY);
const month = ({ until }: LogSample) => ({ startTimestamp: until - 30 * DAY });

function pages(sample: LogSample): LogQuestion[] {
  return [
    list("newest page", (n) => ({ pageSize: 10 + (n % 90) })),
    list("newest page of 30 days", (n) => ({ ...month(sample), pageSize: 10 + (n % 90) })),
    list("page 2", (n) => ({ page: 2, pageSize: 10 + (n % 90) })),
    list("page 500 of 20", (n) => ({ page: 500 - (n % 50), pageSize: 20 })),
    list("newest page before any time", (n) => ({ endTimestamp: anyEnd(sample, n) })),
    list("end of any 3 days", (n) => ({
      endTimestamp: anyEnd(sample, n),
      startTimestamp: anyEnd(sample, n) - 3 * DAY,
      page: 500,
      pageSize: 20,
    })),
    list("end of 90 days", (n) => ({ startTimestamp: sample.from, page: 500 - (n % 50), pageSize: 20 })),
  ];
}

function byWhom(sample: LogSample): LogQuestion[] {
  const { users, models } = sample;
  const frequent = users.slice(0, 100);
  const rare = users.slice(-33);
  return [
    list("frequent user", (n) => ({ username: oneOf(frequent, n).username })),
    list("any user", (n) => ({ username: oneOf(users, n).username })),
    list("any user, 30 days", (n) => ({ ...month(sample), username: oneOf(users, n).username })),
    list("user with 3 rows", (n) => ({ username: oneOf(rare, n).username, pageSize: 10 + (n % 90) })),
    list("user who is not there", (n) => ({ username: `nobody${n}` })),
    list("model", (n) => ({ modelName: oneOf(models, n), pageSize: 10 + (n % 90) })),
    list("model before any time", (n) => ({ modelName: oneOf(models, n), endTimestamp: anyEnd(sample, n) })),
    list("pattern of models", (n) => ({ modelName: `%${oneOf(models, n).slice(0, 5)}%`, pageSize: 10 + (n % 90) })),
    list("channel", (n) => ({ channelId: 1 + draw(n, CHANNELS), pageSize: 10 + (n % 90) })),
    list("token name", (n) => ({ tokenName: oneOf(sample.tokens, n) })),
    list("token name, 30 days", (n) => ({ ...month(sample), tokenName: oneOf(sample.tokens, n) })),
    list("token name that is not there", (n) => ({ tokenName: `none${n}` })),
  ];
}

function byKind(sample: LogSample): LogQuestion[] {
  const { users, models } = sample;
  const frequent = users.slice(0, 100);
  const random = (number: number) => `${(number * 104_729 + 268_435_456).toString(16)}-0000-4000-8000-00000000beef`;
  return [
    list("group", (n) => ({ group: n % 3 === 0 ? "vip" : "default", endTimestamp: anyEnd(sample, n) })),
    list("group that is not there", (n) => ({ group: `none${n}` })),
    list("failures", (n) => ({ type: 5, pageSize: 10 + (n % 90) })),
    list("type without rows", (n) => ({ type: 1, startTimestamp: sample.from + n })),
    list("status", (n) => ({ statusCode: 502, endTimestamp: anyEnd(sample, n) })),
    list("status without rows", (n) => ({ statusCode: 403, startTimestamp: sample.from + n })),
    list("cause of failures", (n) => ({ errorCause: `cause ${draw(n, 23)}`, endTimestamp: anyEnd(sample, n) })),
    list("losses, none", (n) => ({ cost: true, startTimestamp: sample.from + n })),
    list("unbilled, none", (n) => ({ unbilledCost: true, startTimestamp: sample.from + n })),
    list("user and model", (n) => ({ username: oneOf(users, n).username, modelName: oneOf(models, n + 1) })),
    list("user, model and channel", (n) => ({
      username: oneOf(frequent, n).username,
      modelName: oneOf(models, n + 1),
      channelId: 1 + draw(n, CHANNELS),
    })),
    list("model and failures", (n) => ({ modelName: oneOf(models, n), type: 5, channelId: 1 + draw(n, CHANNELS) })),
    list("request id", (n) => ({ requestId: oneOf(sample.requests, n) })),
    list("request id that is not there", (n) => ({ requestId: random(n) })),
    list("request id that is no UUID", (n) => ({ requestId: `end:${n}` })),
  ];
}

function others(sample: LogSample): LogQuestion[] {
  const { users } = sample;
  return [
    { name: "search, contents", ask: (ctx, n) => searchLogs(ctx, "all", n % 2 === 0 ? "status" : `text ${n}`) },
    { name: "sums, 30 days", ask: (ctx, n) => sumLogs(ctx, { ...month(sample), pageSize: 1 + (n % 90) }) },
    {
      name: "sums by token name, 3 days",
      ask: (ctx, n) =>
        sumLogs(ctx, {
          tokenName: oneOf(sample.tokens, n),
          startTimestamp: anyEnd(sample, n) - 3 * DAY,
          endTimestamp: anyEnd(sample, n),
        }),
    },
    {
      name: "sums by token name, 30 days",
      ask: (ctx, n) => sumLogs(ctx, { ...month(sample), tokenName: oneOf(sample.tokens, n) }),
    },
    { name: "bars, 30 days", ask: (ctx, n) => countByTime(ctx, { startTimestamp: sample.until - 30 * DAY + n }) },
    {
      name: "bars of a user, 30 days",
      ask: (ctx, n) => countByTime(ctx, { ...month(sample), username: oneOf(users, n).username }),
    },
    {
      name: "bars by token name, 30 days",
      ask: (ctx, n) => countByTime(ctx, { ...month(sample), tokenName: oneOf(sample.tokens, n) }),
    },
    {
      name: "failures in groups, a day",
      ask: (ctx, n) =>
        listFailureGroups(ctx, { startTimestamp: anyEnd(sample, n) - DAY, endTimestamp: anyEnd(sample, n) }),
    },
    {
      name: "failures in groups, 30 days",
      ask: (ctx, n) => listFailureGroups(ctx, { startTimestamp: sample.until - 30 * DAY + n }),
    },
    { name: "models in the log", ask: (ctx) => listLoggedModels(ctx) },

    { name: "export of 100,000 rows", ask: (ctx, n) => exported(ctx, { endTimestamp: anyEnd(sample, n) }, 100_000) },
  ];
}

function ofUsers({ users, models }: LogSample): LogQuestion[] {
  const as = (ctx: ServiceContext, { id, username }: { id: number; username: string }): ServiceContext => ({
    ...ctx,
    actor: { type: "user", id, username, role: 1, group: "default", via: "session" },
  });
  const own = (name: string, search: (number: number) => LogSearch): LogQuestion => ({
    name,
    ask: (ctx, number) => listLogs(as(ctx, oneOf(users, number)), search(number)),
  });
  return [
    own("own newest page", (n) => ({ pageSize: 10 + (n % 90) })),
    own("own page 3", (n) => ({ page: 3, pageSize: 10 + (n % 90) })),
    own("own, by model", (n) => ({ modelName: oneOf(models, n) })),
    { name: "own sums", ask: (ctx, n) => sumLogs(as(ctx, oneOf(users, n)), {}) },
  ];
}

async function exported(ctx: ServiceContext, search: LogSearch, rows: number): Promise<number> {
  let read = 0;
  for await (const batch of readLogs(ctx, search)) {
    read += batch.length;
    if (read >= rows) break;
  }
  return read;
}
