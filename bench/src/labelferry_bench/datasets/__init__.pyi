
from .amazon import load_amazon as load_amazon
from .cache import CorpusNotFound as CorpusNotFound
from .caltech256 import ImageFiles as ImageFiles
from .caltech256 import load_caltech256 as load_caltech256
from .catalogue import summarize as summarize
from .corpus import Corpus as Corpus
from .domains import domain_corpora as domain_corpora
from .domains import load_domains as load_domains
from .newsgroups import load_newsgroups as load_newsgroups
from .office_caltech import Images as Images
from .office_caltech import load_office_caltech as load_office_caltech
from .reading import CorpusDamaged as CorpusDamaged
from .reuters import load_reuters as load_reuters
from .reuters_crossdomain import CrossDomain as CrossDomain
from .reuters_crossdomain import load_reuters_crossdomain as load_reuters_crossdomain
from .reuters_tasks import orgs_people_places as orgs_people_places
from .sraa import load_sraa as load_sraa
