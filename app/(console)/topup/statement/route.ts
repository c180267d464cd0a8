import { AppError } from "@/lib/errors";
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
    const wording = await statementWording(await loadOptions(ctx.db));
    const { contentType, body } = await exportMonthStatement(ctx, statement, wording, format);
    return new Response(body, {
      headers: {
        "content-type": contentType,
        "content-disposition": `attachment; filename="${statement.number}.${format}"`,
        "cache-control": "no-store, no-transform",
        "x-content-type-options": "nosniff",
      },
    });
  } catch (error) {
    return failed(request, error);
  }
});
