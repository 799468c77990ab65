/** A number of pieces sold together: a box of 100, a carton of 24 bottles. */
export interface Pack {
  /** The word for it, as written: `box`, `पैकेट`. */
  readonly word: string;
  readonly size: number;
  /** What it contains, if that is stated. */
  readonly of: string;
  /** The whole phrase, as written: `box of 100`. */
  readonly written: string;
}

/** A property of an item from a table or catalogue: a column with its unit, or a field of an entry. */
export interface ItemAttribute {
  /** As the business writes it: `Price`, `Rent per month`, `Stock`. */
  readonly name: string;
  readonly value: string;
  /** The unit after the number, from the cell or the column's heading: `INR`, `months`, `sq ft`. */
  readonly unit: string;
  /** A remark beside a price, on taxes: "GST extra". */
  readonly remark?: string;
  /** The description that contains it. */
  readonly description?: string;
}

/** An item with attributes: a catalogue entry or a table row. */
export interface FactItem {
  readonly kind: 'entry' | 'row';
  /** Its name: `Radiator (John Deere 5310)`. */
  readonly name: string;
  /** Its kind, if known: its category, its sheet, or the heading of its table. */
  readonly category: string;
  readonly description: string;
  readonly attributes: readonly ItemAttribute[];
  /** The pack that its price is for, if it is sold in packs. */
  readonly pack: Pack | undefined;
}

/** A sentence with its context. */
export interface QuotableSentence {
  readonly text: string;
  /** The headings above it, or the question that it answers. */
  readonly heading: string;
  readonly before: string;
  readonly after: string;
  /** Whether it answers a stored question. Then it is quoted whole. */
  readonly isStored: boolean;
  /** The catalogue item that it describes, whose name is quoted with it. */
  readonly of?: string;
}

/** Contact details of the business, under the names that they have in the profile. */
export type BusinessContact = Readonly<
  Record<'Name' | 'Kind' | 'About' | 'Telephone' | 'E-mail' | 'Website' | 'Address', string>
>;

/** A parsed knowledge base: items with which the model can compute, and sentences that it can only quote. */
export interface BaseFacts {
  readonly contact: BusinessContact;
  readonly items: readonly FactItem[];
  readonly statements: readonly QuotableSentence[];
}
