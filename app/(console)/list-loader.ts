import { cookies } from "next/headers";
import { createLoader, type ParserMap, type SearchParams } from "nuqs/server";
import { PAGE_SIZE_KEY, PAGE_SIZES, type pagingParams, toPageSize } from "@/components/data-table/list-params";

type ListParams = ParserMap & typeof pagingParams;

/** Reads a list's search from the URL. Without a page size there, the one in the user's cookie applies. */
export function createListLoader<Params extends ListParams>(params: Params) {
  const load = createLoader(params);
  return async (searchParams: Promise<SearchParams>) => {
    const [search, jar] = await Promise.all([load(searchParams), cookies()]);
    const chosen = search.pageSize as number | null;
    return { ...search, pageSize: chosen ?? toPageSize(jar.get(PAGE_SIZE_KEY)?.value) ?? PAGE_SIZES[0] };
  };
}
