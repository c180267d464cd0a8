/** Lists with saved views, by the path of their page. */
export const VIEW_PAGES = ["log", "channel", "token", "user", "redemption", "audit", "task", "midjourney"] as const;
export type ViewPage = (typeof VIEW_PAGES)[number];
export const VIEW_NAME_MAX = 40;
export type SavedView = {
  id: number;
  name: string;
  query: string;
  columns: Record<string, boolean> | null;
  isDefault: boolean;
};
