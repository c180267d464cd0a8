import { AppError } from "@/lib/errors";
import { fileReply } from "@/lib/http/file-reply";
import { localeOf } from "@/lib/http/message";
import { limited } from "@/lib/http/rate-limit";
import { loadOptions } from "@/lib/option/queries";
import { exportMonthStatement, STATEMENT_FORMATS } from "@/lib/topup/export-month-statement";
import { readMonthStatement } from "@/lib/topup/month-statement-queries";
import { failed, sessionContext } from "../../session-context";
import { statementWording } from "./wording";

export const dynamic = "force-dynamic";

const ID = /^[1-9]\d{0,9}$/;

/**
 * The statement of a month in the reader's language: ?month=2026-10&format=pdf or csv. With ?user=, another user's, for
 * administrators.
 */
export const GET = limited("global", "action", async (request) => {
  try {
    const ctx = await sessionContext(request);
    const { searchParams } = new URL(request.url);
    const format = STATEMENT_FORMATS.find((known) => known === searchParams.get("format"));
    if (!format) throw new AppError("invalid", "fieldInvalid", { field: "format" });
    const user = searchParams.get("user");
    if (user !== null && !ID.test(user)) throw new AppError("invalid", "fieldInvalid", { field: "user" });
    const month = searchParams.get("month") ?? "";
    const statement = await readMonthStatement(ctx, user === null ? { month } : { month, userId: Number(user) });
    const wording = statementWording(await loadOptions(ctx.db), localeOf(request));
    const { contentType, body } = await exportMonthStatement(ctx, statement, wording, format);
    return fileReply({ contentType, name: `${statement.number}.${format}`, body });
  } catch (error) {
    return failed(request, error);
  }
});
