import type { ColumnChoice } from "@/components/data-table/column-choice";
import { SavedViews } from "@/components/data-table/saved-views";
import type { ServiceContext } from "@/lib/context";
import { listViews } from "@/lib/saved-view/queries";
import type { ViewPage } from "@/lib/saved-view/types";

type PageViewsProps = {
  ctx: ServiceContext;
  page: ViewPage;
  /** The filters of the list, by their names in the URL. */
  params: object;
  columns?: ColumnChoice;
};

/** How a list is sorted; part of a view like the filters. */
const SORT_NAMES = ["sort", "descending"];

/** The user's saved views of a list. */
export async function PageViews({ ctx, page, params, columns }: PageViewsProps) {
  return (
    <SavedViews
      page={page}
      names={[...Object.keys(params), ...SORT_NAMES]}
      views={await listViews(ctx, page)}
      columns={columns ?? null}
    />
  );
}
