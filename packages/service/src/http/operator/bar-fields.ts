import {
  finenessDecimals,
  finenessText,
  minFineness,
  pureFineness,
  tolerance,
  weightDecimals,
} from '../../domain/weight.js';
import { about } from '../../views/fields.js';
import { field } from './fields.js';

const uuid = '019ca945-0a00-7c3e-9d61-4b8f2a7e5c10';

/** What the fields of bars and of the stock mean. */
export const barField = {
  barId: about('Id of the bar, a UUID.', uuid),
  serial: about('Serial number, as the refiner stamped it on the bar.', 'A123456'),
  refiner: about('Refiner who made the bar.', 'Valcambi'),
  fineness: about(
    `Parts of gold per thousand: at least ${finenessText(minFineness)}, below ${finenessText(pureFineness)}, at most ${finenessDecimals} decimals.`,
    999.9,
  ),
  weightG: about(
    `Grams, at most ${weightDecimals} decimals; that of the denomination to within ${tolerance}.`,
    11.6638038,
  ),
  city: about('City of the vault; one in which some denomination is handed over.', 'Karachi'),
  status: about('`in_stock`, `reserved`, `handed_over` or `withdrawn`.', 'in_stock'),
  redemptionId: about(
    'Redemption that the bar is reserved for or was handed over for; null otherwise.',
    field.redemptionId.examples[0] ?? null,
  ),
  reason: about('Why the bar was withdrawn; null otherwise.', null),
  index: about('Place of the bar in the request, from 0.', 1),
  refusal: about('Error code: why the bar was not taken.', 'already_exists'),
  refusalMessage: about('The same for people.', 'The bar A123456 of Valcambi is already there.'),
  refusedField: about('Field of the bar that caused it; null if none did.', 'serial'),
  inStock: about('Bars that can be reserved.', 12),
  reserved: about('Bars that are set aside for redemptions.', 3),
  waiting: about('Redemptions under way that no bar is reserved for yet.', 14),
  shortBy: about('Bars that are missing for them.', 2),
};
