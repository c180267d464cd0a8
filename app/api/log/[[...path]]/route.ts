import { z } from "zod";
import type { ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { exportFile, formatParam } from "@/lib/http/file-reply";
import { localeOf } from "@/lib/http/message";
import { numberOf } from "@/lib/http/named-number";
import { defined, flagParam, groupParam, integerParam, pageParam, textParam } from "@/lib/http/query";
import { fail, succeed } from "@/lib/http/reply";
import { defineRoutes, route } from "@/lib/http/route";
import type { Page } from "@/lib/page";
import { LOG_TYPE } from "@/lib/row-status";
import { requireUsableKey } from "@/lib/snapshot/key-use";
import type { UsageLog } from "@/lib/usage-log/columns";
import { type FilterPart, LOG_FILTERS, type ParameterField } from "@/lib/usage-log/columns";
import { deleteLogs } from "@/lib/usage-log/commands";
import { exportLogs } from "@/lib/usage-log/export-commands";
import { listLogs } from "@/lib/usage-log/queries";
import type { LogSearch } from "@/lib/usage-log/schemas";
import { listTokenLogs, searchLogs } from "@/lib/usage-log/search-queries";
import { sumLogs } from "@/lib/usage-log/sum-queries";
import { toWireLog } from "@/lib/usage-log/wire";

/** A kind of rows by its number or name; what can be read as neither is no filter. */
const kindParam = z
  .string()
  .transform((text) => numberOf(LOG_TYPE, text))
  .optional();

const inputs = { text: textParam, pattern: textParam, id: integerParam, type: kindParam, flag: flagParam };

/** One query parameter for each filter that has one in /api. */
const parameters = Object.fromEntries(
  LOG_FILTERS.flatMap(({ parameter, input }) => (parameter ? [[parameter, inputs[input]]] : [])),
) as { [Field in ParameterField as FilterPart<Field, "parameter">]: (typeof inputs)[FilterPart<Field, "input">] };

const filters = z.object({
  p: pageParam,
  page_size: pageParam,
  ...parameters,
  group: groupParam,
  start_timestamp: integerParam,
  end_timestamp: integerParam,
});

/** What is asked of a user's own rows: without the filters on costs. */
const ownFilters = filters.omit({ loss: true, unbilled: true });

type Asked = Omit<z.output<typeof ownFilters>, "p" | "page_size"> & {
  p?: number | undefined;
  page_size?: number | undefined;
};

function toSearch(query: Asked, scope: "all" | "own"): LogSearch {
  const given: Record<string, unknown> = query;
  const asked = LOG_FILTERS.flatMap(({ field, parameter, input, isForAdmins }) => {
    if (!parameter || (scope === "own" && isForAdmins)) return [];
    const value = given[parameter];
    // Clients send 0 for "no id".
    return [[field, input === "id" && value === 0 ? undefined : value] as const];
  });
  return {
    scope,
    ...defined({
      // Pages count from 1; 0 means the first page too (contract §13.2).
      page: Math.max(query.p ?? 1, 1),
      pageSize: query.page_size,
      startTimestamp: query.start_timestamp,
      endTimestamp: query.end_timestamp,
      ...Object.fromEntries(asked),
    }),
  };
}

function toWirePage(page: Page<UsageLog>, scope: "all" | "own") {
  const { items, total, page: number, pageSize, isTotalCapped = false } = page;
  // `total` stays a number for clients of the contract; total_capped says whether there are more.
  return {
    items: items.map((row) => toWireLog(row, scope)),
    total,
    total_capped: isTotalCapped,
    page: number,
    page_size: pageSize,
  };
}

async function readByKey(ctx: ServiceContext, key: string): Promise<UsageLog[]> {
  return listTokenLogs(ctx, await requireUsableKey(ctx.sql, key, ctx.clientIp));
}

/** Other sites may read it: whoever has the key may. */
async function answerByKey(ctx: ServiceContext, request: Request, key: string): Promise<Response> {
  const answer = await readByKey(ctx, key).then(
    (rows) => succeed(rows.map((row) => toWireLog(row, "own"))),
    (error: unknown) => {
      if (error instanceof AppError) return fail(error, localeOf(request));
      throw error;
    },
  );
  answer.headers.set("access-control-allow-origin", "*");
  return answer;
}

const keyword = z.object({ keyword: textParam });

const searching = [
  route({
    method: "GET",
    path: "/search",
    reads: true,
    access: "admin",
    query: keyword,
    handler: async ({ ctx, query }) =>
      (await searchLogs(ctx, "all", query.keyword ?? "")).map((row) => toWireLog(row, "all")),
  }),
  route({
    method: "GET",
    path: "/self/search",
    reads: true,
    access: "user",
    query: keyword,
    handler: async ({ ctx, query }) =>
      (await searchLogs(ctx, "own", query.keyword ?? "")).map((row) => toWireLog(row, "own")),
  }),
  route({
    method: "GET",
    path: "/token",
    access: "public",
    query: z.object({ key: textParam }),
    handler: ({ ctx, request, query }) => answerByKey(ctx, request, query.key ?? ""),
  }),
];

const paging = { p: true, page_size: true } as const;

/** Every row that matches, as a file. */
const exporting = [
  route({
    method: "GET",
    path: "/export",
    access: "admin",
    query: filters.omit(paging).extend(formatParam),
    handler: ({ ctx, request, query: { format, ...query } }) =>
      exportFile({ ctx, request, name: "usage-logs", format }, (_format, words) =>
        exportLogs(ctx, toSearch(query, "all"), format, words),
      ),
  }),
  route({
    method: "GET",
    path: "/self/export",
    access: "user",
    query: ownFilters.omit(paging).extend(formatParam),
    handler: ({ ctx, request, query: { format, ...query } }) =>
      exportFile({ ctx, request, name: "usage-logs", format }, (_format, words) =>
        exportLogs(ctx, toSearch(query, "own"), format, words),
      ),
  }),
];

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = defineRoutes([
  ...searching,
  ...exporting,
  route({
    method: "GET",
    path: "/",
    reads: true,
    access: "admin",
    query: filters,
    handler: async ({ ctx, query }) => toWirePage(await listLogs(ctx, toSearch(query, "all")), "all"),
  }),
  route({
    method: "GET",
    path: "/self",
    reads: true,
    access: "user",
    query: ownFilters,
    handler: async ({ ctx, query }) => toWirePage(await listLogs(ctx, toSearch(query, "own")), "own"),
  }),
  route({
    method: "GET",
    path: "/stat",
    reads: true,
    access: "admin",
    query: filters,
    handler: ({ ctx, query }) => sumLogs(ctx, toSearch(query, "all")),
  }),
  route({
    method: "GET",
    path: "/self/stat",
    reads: true,
    access: "user",
    query: ownFilters,
    handler: ({ ctx, query }) => sumLogs(ctx, toSearch(query, "own")),
  }),
  route({
    method: "DELETE",
    path: "/",
    access: "admin",
    query: z.object({ target_timestamp: integerParam }),
    handler: ({ ctx, query }) => deleteLogs(ctx, query.target_timestamp ?? 0),
  }),
]);
