import { z } from "zod";
import { seenField } from "@/lib/seen-schema";
import { VIEW_NAME_MAX, VIEW_PAGES } from "./types";

/** Per list and user. */
export const VIEWS_MAX = 50;
const COLUMNS_MAX = 60;

const page = z.enum(VIEW_PAGES);
const id = z.number().int().positive();
const name = z.string().trim().min(1, "viewNameMissing").max(VIEW_NAME_MAX, "viewNameTooLong");
/** The filters and the sort as the query string of the list's URL. */
const query = z.string().max(2_000, "viewTooLong");
/** Columns that were switched on or off; null = the list has no choice of columns. */
const columns = z
  .record(z.string().max(64), z.boolean())
  .refine((choice) => Object.keys(choice).length <= COLUMNS_MAX, "viewTooLong")
  .nullable()
  .default(null);

export const saveViewSchema = z.object({ page, name, query, columns });
export const renameViewSchema = z.object({ id, name, seen: seenField });
export const viewIdSchema = z.object({ id });
/** At most one view of a list is the one that it opens with. */
export const defaultViewSchema = z.object({ id, isDefault: z.boolean() });

export type SaveView = z.input<typeof saveViewSchema>;
export type RenameView = z.input<typeof renameViewSchema>;
export type DefaultView = z.input<typeof defaultViewSchema>;
