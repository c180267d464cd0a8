import { nowSeconds } from "@/lib/clock";
import { AppError } from "@/lib/errors";
import type { ExportFile } from "@/lib/export/stream-rows";
import { type ExportWords, exportWords } from "@/lib/export/words";
import { EXPORT_FORMATS, type ExportFormat } from "@/lib/export/write-rows";
import { localeOf } from "@/lib/http/message";
import { displayOf } from "@/lib/money/display";
import { loadOptions } from "@/lib/option/queries";
import { failed, type SessionContext, sessionContext } from "./session-context";

/** Replies with a file for the signed-in user. `?format=` chooses the format; `write` produces the content. */
export async function exportReply(
  request: Request,
  name: string,
  write: (
    ctx: SessionContext,
    params: URLSearchParams,
    format: ExportFormat,
    words: ExportWords,
  ) => Promise<ExportFile>,
): Promise<Response> {
  try {
    const ctx = await sessionContext(request);
    const { searchParams } = new URL(request.url);
    const format = EXPORT_FORMATS.find((known) => known === searchParams.get("format"));
    if (!format) throw new AppError("invalid", "fieldInvalid", { field: "format" });
    const words = exportWords(localeOf(request), displayOf(await loadOptions(ctx.db)));
    const { contentType, body } = await write(ctx, searchParams, format, words);
    const day = new Date(nowSeconds() * 1000).toISOString().slice(0, 10);
    return new Response(body, {
      headers: {
        "content-type": contentType,
        "content-disposition": `attachment; filename="${name}-${day}.${format}"`,
        "cache-control": "no-store, no-transform",
        "x-content-type-options": "nosniff",
      },
    });
  } catch (error) {
    return failed(request, error);
  }
}
