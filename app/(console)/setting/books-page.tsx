import { getTranslations } from "next-intl/server";
import { BooksCheck } from "@/components/setting/books-check";
import { LogOutbox } from "@/components/setting/log-outbox";
import { RefusedCharges } from "@/components/setting/refused-charges";
import { Texts } from "@/components/shell/texts";
import { listRefusedCharges } from "@/lib/billing/refused-charges-commands";
import { findLastBooksCheck } from "@/lib/books/check-books-queries";
import { consoleDatabase } from "@/lib/console-database";
import type { ServiceContext } from "@/lib/context";
import { findOutbox } from "@/lib/log-store/outbox-queries";
import { retryRefusedCharges } from "./actions";

/** What the books say, charges that the database refused, and what waits for the log store. */
export async function BooksPage({ ctx }: { ctx: ServiceContext }) {
  const [charges, check, outbox, t] = await Promise.all([
    listRefusedCharges(ctx, consoleDatabase().sql),
    findLastBooksCheck(ctx),
    findOutbox(ctx),
    getTranslations("setting.page"),
  ]);
  return (
    <>
      <h2 className="sr-only">{t("books")}</h2>
      <Texts of={["setting.refusedCharges"]}>
        <RefusedCharges charges={charges} retry={retryRefusedCharges} />
      </Texts>
      <BooksCheck check={check} />
      <LogOutbox state={outbox} />
    </>
  );
}
