import { useTranslations } from "next-intl";
import { BOOKS_PAGE, type SettingPageId } from "@/lib/option/cards";

/** The title of a settings page: its own, else that of its card. */
export function usePageTitle(): (id: SettingPageId) => string {
  const t = useTranslations("setting");
  return (id) => {
    const own = `page.${id}`;
    if (t.has(own as "page.books")) return t(own as "page.books");
    return id === BOOKS_PAGE ? id : t(`card.${id}.title`);
  };
}
