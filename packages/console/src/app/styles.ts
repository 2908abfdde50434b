/** The styles of every application, in the order in which later ones win. */
import '@fontsource-variable/inter/wght.css';
import './mantine.css';
import '@mantine/notifications/styles.css';
import './styles.css';
