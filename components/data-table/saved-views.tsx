"use client";

import { Bookmark, BookmarkPlus, Pencil } from "lucide-react";
import type { Route } from "next";
import { useRouter, useSearchParams } from "next/navigation";
import { useTranslations } from "next-intl";
import { type ComponentProps, useEffect, useEffectEvent, useState } from "react";
import { ConfirmDialog } from "@/components/form/confirm-dialog";
import { useRunAction } from "@/components/form/use-run-action";
import { Menu } from "@/components/overlay/menu";
import { Button } from "@/components/ui/button";
import { DropdownMenuItem, DropdownMenuSeparator } from "@/components/ui/dropdown-menu";
import { Link } from "@/components/ui/link";
import { toast } from "@/components/ui/toast";
import { type SavedView, VIEW_NAME_MAX, type ViewPage } from "@/lib/saved-view/types";
import { deleteView, renameView, saveView, setDefaultView } from "./actions";
import type { ColumnChoice, ColumnList } from "./column-choice";
import { rememberColumns } from "./column-menu";
import { filterQuery } from "./list-params";
import { type AskedOfViews, SavedViewList } from "./saved-view-list";
import { ViewNameDialog } from "./view-name-dialog";

type SavedViewsProps = {
  page: ViewPage;
  /** The names in the URL that belong to a view: filters and sort. */
  names: readonly string[];
  views: SavedView[];
  /** The choice of columns now; null for a list without such a choice. */
  columns: ColumnChoice | null;
};

const DONE_MS = 1500;
const MANAGE: AskedOfViews = { kind: "manage" };
const COLUMN_LISTS: Partial<Record<ViewPage, ColumnList>> = { log: "logs", channel: "channels" };

/** The user's saved views of a list: apply, save, rename, delete, and the one that the list opens with. */
export function SavedViews(props: SavedViewsProps) {
  const { page, names, views } = props;
  const query = filterQuery(useSearchParams(), Object.fromEntries(names.map((name) => [name, name])));
  const [asked, setAsked] = useState<AskedOfViews | null>(null);
  const t = useTranslations("list");
  const { run } = useRunAction();
  useDefaultView(page, views);
  const onDefault = ({ id, isDefault }: SavedView) =>
    run(
      () => setDefaultView({ id, isDefault: !isDefault }),
      () => void toast.success(isDefault ? t("viewDefaultCleared") : t("viewDefaultSet"), { duration: DONE_MS }),
    );
  return (
    <>
      <ViewsMenu page={page} views={views} query={query} onAsk={setAsked} />
      <SavedViewList views={views} open={asked?.kind === "manage"} onAsk={setAsked} onDefault={onDefault} />
      <ChangeDialogs {...props} query={query} asked={asked} onAsk={setAsked} />
    </>
  );
}

/** A list that is opened without a query shows the default view. Clearing the filters later does not bring it back. */
function useDefaultView(page: ViewPage, views: readonly SavedView[]): void {
  const router = useRouter();
  const onOpened = useEffectEvent(() => {
    const view = views.find(({ isDefault }) => isDefault);
    if (!view || window.location.search !== "") return;
    showColumns(page, view);
    router.replace(hrefOf(page, view));
  });
  useEffect(() => onOpened(), []);
}

function showColumns(page: ViewPage, { columns }: SavedView): void {
  const list = COLUMN_LISTS[page];
  if (list && columns) rememberColumns(list, columns);
}

function hrefOf(page: ViewPage, { query }: SavedView): Route {
  // The stored query is untrusted: URLSearchParams ensures that it only becomes the query of the list.
  return `/${page}?${new URLSearchParams(query)}` as Route;
}

type ViewsMenuProps = {
  page: ViewPage;
  views: SavedView[];
  query: string;
  onAsk: (asked: AskedOfViews) => void;
};

function ViewsMenu({ page, views, query, onAsk }: ViewsMenuProps) {
  const t = useTranslations("list");
  const current = views.find((view) => view.query === query && query !== "");
  const trigger = (
    <Button size="md" className="max-w-56">
      <Bookmark aria-hidden />
      <span dir="auto" className="truncate">
        {current ? current.name : t("views")}
      </span>
    </Button>
  );
  return (
    <Menu trigger={trigger} label={t("views")}>
      {views.map((view) => (
        <DropdownMenuItem key={view.id} asChild>
          <Link href={hrefOf(page, view)} onClick={() => showColumns(page, view)}>
            <Bookmark aria-hidden />
            <span dir="auto" className="max-w-60 truncate">
              {view.name}
            </span>
            {view.isDefault ? (
              <span className="ml-auto pl-4 text-muted-foreground text-xs">{t("isDefaultView")}</span>
            ) : null}
          </Link>
        </DropdownMenuItem>
      ))}
      {views.length > 0 ? <DropdownMenuSeparator /> : null}
      <DropdownMenuItem disabled={query === ""} onSelect={() => onAsk({ kind: "save" })}>
        <BookmarkPlus aria-hidden />
        {t("saveView")}
      </DropdownMenuItem>
      {views.length > 0 ? (
        <DropdownMenuItem onSelect={() => onAsk(MANAGE)}>
          <Pencil aria-hidden />
          {t("manageViews")}
        </DropdownMenuItem>
      ) : null}
    </Menu>
  );
}

type Naming = ComponentProps<typeof ViewNameDialog>["onName"];

type ChangeDialogsProps = SavedViewsProps & {
  query: string;
  asked: AskedOfViews | null;
  onAsk: (asked: AskedOfViews | null) => void;
};

/** The save, rename and delete dialogs. */
function ChangeDialogs({ page, views, columns, query, asked, onAsk }: ChangeDialogsProps) {
  const t = useTranslations("list");
  const { pending, run } = useRunAction();
  const done = (text: string, next: AskedOfViews | null) => () => {
    onAsk(next);
    toast.success(text, { duration: DONE_MS });
  };
  const naming = { max: VIEW_NAME_MAX, pending };
  if (asked?.kind === "save") {
    const save: Naming = ({ name }, onFailure) =>
      run(() => saveView({ page, name, query, columns }), done(t("viewSaved"), null), onFailure);
    return <ViewNameDialog {...naming} title={t("saveView")} start="" onClose={() => onAsk(null)} onName={save} />;
  }
  if (asked?.kind === "rename") {
    const { id, name: start } = asked.view;
    const rename: Naming = (change, onFailure) =>
      run(() => renameView({ id, ...change }), done(t("viewRenamed"), MANAGE), onFailure);
    return (
      <ViewNameDialog {...naming} title={t("renameView")} start={start} onClose={() => onAsk(MANAGE)} onName={rename} />
    );
  }
  const doomed = asked?.kind === "delete" ? asked.view : null;
  const remove = ({ id }: SavedView) =>
    run(() => deleteView({ id }), done(t("viewDeleted"), views.length > 1 ? MANAGE : null));
  return (
    <ConfirmDialog
      open={doomed !== null}
      onClose={() => onAsk(MANAGE)}
      onConfirm={() => (doomed ? remove(doomed) : undefined)}
      pending={pending}
      title={t("deleteViewTitle", { name: doomed?.name ?? "" })}
      text={t("deleteViewText")}
      confirm={t("deleteView")}
    />
  );
}
