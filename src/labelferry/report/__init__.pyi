from .page import render_card as render_card
from .page import render_page as render_page
from .plots import plot_projection as plot_projection
from .plots import plot_similarity as plot_similarity
