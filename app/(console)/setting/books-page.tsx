import { getTranslations } from "next-intl/server";
import { BooksCheck } from "@/components/setting/books-check";
import { RefusedCharges } from "@/components/setting/refused-charges";
import { ReplicaState } from "@/components/setting/replica-state";
import { Texts } from "@/components/shell/texts";
import { listRefusedCharges } from "@/lib/billing/refused-charges-commands";
import { findLastBooksCheck } from "@/lib/books/check-books-queries";
import { consoleDatabase } from "@/lib/console-database";
import type { ServiceContext } from "@/lib/context";
import { viewReplica } from "@/lib/replica/view";
import { retryRefusedCharges } from "./actions";

/** What the books say, and charges that the database refused. */
export async function BooksPage({ ctx }: { ctx: ServiceContext }) {
  const [charges, check, t] = await Promise.all([
    listRefusedCharges(ctx, consoleDatabase().sql),
    findLastBooksCheck(ctx),
    getTranslations("setting.page"),
  ]);
  const replica = viewReplica(ctx);
  return (
    <>
      <h2 className="sr-only">{t("books")}</h2>
      <Texts of={["setting.refusedCharges"]}>
        <RefusedCharges charges={charges} retry={retryRefusedCharges} />
      </Texts>
      <BooksCheck check={check} />
      {replica ? <ReplicaState replica={replica} /> : null}
    </>
  );
}
