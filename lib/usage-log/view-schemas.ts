import { z } from "zod";

/** Lists with saved views. */
export const VIEW_PAGES = ["log"] as const;
export const VIEW_NAME_MAX = 40;
/** Per list and user. */
export const VIEWS_MAX = 50;

const page = z.enum(VIEW_PAGES);
const id = z.number().int().positive();
const name = z.string().trim().min(1, "viewNameMissing").max(VIEW_NAME_MAX, "viewNameTooLong");
/** The filters as the query string of the list's URL. */
const query = z.string().max(2_000, "viewTooLong");

export const saveViewSchema = z.object({ page, name, query });
export const renameViewSchema = z.object({ id, name });
export const viewIdSchema = z.object({ id });

export type SaveView = z.input<typeof saveViewSchema>;
export type RenameView = z.input<typeof renameViewSchema>;
export type SavedView = { id: number; name: string; query: string };
