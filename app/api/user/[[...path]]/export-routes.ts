import { z } from "zod";
import { statementWording } from "@/app/(console)/topup/statement/wording";
import { exportFile, fileReply, formatParam } from "@/lib/http/file-reply";
import { idParam } from "@/lib/http/id";
import { localeOf } from "@/lib/http/message";
import { defined, groupParam, integerParam, textParam } from "@/lib/http/query";
import { type Route, route } from "@/lib/http/route";
import { loadOptions } from "@/lib/option/queries";
import { exportMonthStatement, STATEMENT_FORMATS } from "@/lib/topup/export-month-statement";
import { exportStatement } from "@/lib/topup/export-statement";
import { readMonthStatement } from "@/lib/topup/month-statement-queries";
import { exportUsers } from "@/lib/user/export-commands";

/** Files: accounts, the movements of the own balance, and the statement of a month. */
export const exportRoutes: readonly Route[] = [
  route({
    method: "GET",
    path: "/export",
    access: "admin",
    query: z.object({ ...formatParam, keyword: textParam, group: groupParam }),
    handler: ({ ctx, request, query: { format, keyword, group } }) =>
      exportFile({ ctx, request, name: "users", format }, (_format, words) =>
        exportUsers(ctx, defined({ keyword, group }), format, words),
      ),
  }),
  route({
    method: "GET",
    path: "/self/ledger/export",
    access: "user",
    query: z.object({ ...formatParam, start_timestamp: integerParam, end_timestamp: integerParam }),
    handler: ({ ctx, request, query: { format, start_timestamp: from, end_timestamp: until } }) =>
      exportFile({ ctx, request, name: "statement", format }, (_format, words) =>
        exportStatement(ctx, defined({ from, until }), format, words),
      ),
  }),
  route({
    method: "GET",
    path: "/statement",
    access: "user",
    query: z.object({
      /** yyyy-MM, in UTC. */
      month: z.string("statementMonthInvalid"),
      format: z.enum(STATEMENT_FORMATS).default("csv"),
      /** Another account's, for administrators. */
      user_id: idParam,
    }),
    handler: async ({ ctx, request, query: { month, format, user_id: userId } }) => {
      const statement = await readMonthStatement(ctx, { month, ...defined({ userId }) });
      const wording = statementWording(await loadOptions(ctx.db), localeOf(request));
      const { contentType, body } = await exportMonthStatement(ctx, statement, wording, format);
      return fileReply({ contentType, name: `${statement.number}.${format}`, body });
    },
  }),
];
