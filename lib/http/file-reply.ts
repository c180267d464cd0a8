import { z } from "zod";
import { nowSeconds } from "@/lib/clock";
import type { ServiceContext } from "@/lib/context";
import type { ExportFile } from "@/lib/export/stream-rows";
import { type ExportWords, exportWords } from "@/lib/export/words";
import { EXPORT_FORMATS, type ExportFormat } from "@/lib/export/write-rows";
import { displayOf } from "@/lib/money/display";
import { loadOptions } from "@/lib/option/queries";
import { localeOf } from "./message";

type File = { contentType: string; name: string; body: BodyInit };

/** A file for a person's disk or a program, never for the browser to show or a proxy to change. */
export function fileReply({ contentType, name, body }: File): Response {
  return new Response(body, {
    headers: {
      "content-type": contentType,
      "content-disposition": `attachment; filename="${name}"`,
      "cache-control": "no-store, no-transform",
      "x-content-type-options": "nosniff",
    },
  });
}

/** In the query of an export. jsonl has the plain values; csv is for people, in the language of the request. */
export const formatParam = { format: z.enum(EXPORT_FORMATS).default("csv") };

type Export = { ctx: ServiceContext; request: Request; name: string; format: ExportFormat };

/** The file of an export; `write` makes its content. */
export async function exportFile(
  { ctx, request, name, format }: Export,
  write: (format: ExportFormat, words: ExportWords) => Promise<ExportFile>,
): Promise<Response> {
  const words = exportWords(localeOf(request), displayOf(await loadOptions(ctx.db)));
  const { contentType, body } = await write(format, words);
  const day = new Date(nowSeconds() * 1_000).toISOString().slice(0, 10);
  return fileReply({ contentType, name: `${name}-${day}.${format}`, body });
}
